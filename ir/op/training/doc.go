// Package training holds what training graphs are made of: losses, ONNX's optimizers and
// Gradient, and the steps of bbgen's own optimizers, which change their state in place.
package training
