// Package tensorboard writes event files, which TensorBoard shows: numbers over the steps
// of a training, and histograms of its weights. It needs no library but one for protocol
// buffers.
package tensorboard
