// Package norm contains normalizations of batches, layers, groups and instances, and the operators of their
// gradients.
package norm
