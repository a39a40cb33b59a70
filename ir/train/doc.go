// Package train turns the graph of a model into a training step: forward pass, loss, gradients and the
// optimizer's updates, all as ordinary nodes of one graph. Values that persist between steps are its states.
// The package rewrites graphs and depends neither on kernels nor on Go code.
//
// [Build] is in build.go, and the order of its stages: params finds the states, loss (loss_*) and scale
// differentiate, optimizer and update change the parameters (accumulate), split divides the step. algorithm
// and initialize read the training that a file describes; stages and part make a step of a part of a network.
// merged, activated and classaxis warn of models that are probably not what their authors want.
package train
