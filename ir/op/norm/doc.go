// Package norm holds normalizations: of a batch, of layers, of groups, of instances; and
// what their gradients are made of.
package norm
