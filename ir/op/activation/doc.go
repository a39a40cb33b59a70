// Package activation holds the activations of networks: those of single elements, such as
// Relu and Gelu, and those along an axis, which are Softmax and its relatives; and what
// their gradients are made of.
package activation
