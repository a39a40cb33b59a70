// Package attention holds attention: ONNX's, flexible and linear attention, the form that
// fusion makes, and rotary embeddings.
package attention
