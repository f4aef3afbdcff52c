#version 330 core
// One rectangle of whole pixels: its corners come from the number of the vertex, so there is no vertex buffer.

// Left, top, right, bottom in normalised device coordinates.
uniform vec4 corners;

void main() {
  vec2 position = vec2((gl_VertexID & 1) == 0 ? corners.x : corners.z, (gl_VertexID & 2) == 0 ? corners.y : corners.w);
  gl_Position = vec4(position, 0.0, 1.0);
}
