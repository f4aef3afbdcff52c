#version 330 core
// A rectangle of whole pixels. The vertex number selects the corner: no vertex buffer is needed.

// Left, top, right, bottom in normalized device coordinates.
uniform vec4 corners;

void main() {
  vec2 position = vec2((gl_VertexID & 1) == 0 ? corners.x : corners.z, (gl_VertexID & 2) == 0 ? corners.y : corners.w);
  gl_Position = vec4(position, 0.0, 1.0);
}
