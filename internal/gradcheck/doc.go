// Package gradcheck compares the gradients of ir/grad with central differences, in float64. [Case] is one
// operator with its operands, from a line of a family's testdata/gradients.txt. [Graph] checks a whole graph.
package gradcheck
