// Package shape contains the operators that move elements without computing on them, or return shapes:
// Reshape, Transpose, Concat, Slice, Gather, Scatter, Pad, TopK, Unique; and their gradients.
package shape
