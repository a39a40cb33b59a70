// Package dsl is what authors of distributed programs write with. A program is
// Modules that record what they do on a Graph; Build makes an ONNX model of it,
// which bbgen compiles.
package dsl
