// Package gradcheck compares the gradients that ir/grad builds with central differences,
// in float64. [Case] is one operator with its operands, as a line of a family's
// testdata/gradients.txt has it; [Graph] checks a whole graph.
package gradcheck
