// Package train turns the graph of a model into a training step: forward pass, loss, gradients and the
// optimizer's updates, all as ordinary nodes of one graph. Values that persist between steps are its states.
// The package rewrites graphs and depends neither on kernels nor on Go code.
package train
