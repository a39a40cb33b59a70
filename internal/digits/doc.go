// Package digits makes a data set of handwriting's stand-ins: the digits 0 to 9
// of Go's own fonts, bent and blurred until they look like MNIST's. Examples
// train on it where nothing may be downloaded.
package digits
