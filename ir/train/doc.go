// Package train turns the graph of a model into a training step: forward, loss,
// gradients and the optimizer's updates, all of them ordinary nodes of one
// graph, with what outlives the step in its states. It goes from graph to graph
// and knows neither kernels nor Go.
package train
