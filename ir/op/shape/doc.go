// Package shape holds the operators that move elements without computing on them, or ask
// for shapes: Reshape, Transpose, Concat, Slice, Gather, Scatter, Pad, TopK, Unique; and
// the gradients that add up what was taken several times.
package shape
