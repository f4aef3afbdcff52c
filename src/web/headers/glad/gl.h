// The functions of OpenGL that the program uses, in a browser: WebGL 2 has those of OpenGL ES 3, and needs no loader.
#pragma once

#include <GLES3/gl3.h>

// Polygons are always filled.
#define GL_FILL 0x1B02
static inline void glPolygonMode(GLenum face, GLenum mode) {
  (void)face;
  (void)mode;
}
