// Package training contains the operators of training graphs: losses, ONNX's optimizers and Gradient, and the
// steps of bbgen's own optimizers, which change their state in place.
package training
