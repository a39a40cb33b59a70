// Package activation contains the activation functions of networks: elementwise ones such as Relu and Gelu,
// and those along an axis, which are Softmax and related functions; and the operators of their gradients.
package activation
