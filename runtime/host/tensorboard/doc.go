// Package tensorboard writes event files for TensorBoard: numbers over the steps of a training, and histograms
// of its weights. It needs no library except one for protocol buffers.
package tensorboard
