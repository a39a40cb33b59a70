// Package digits renders a data set that resembles handwritten digits: the digits 0 to 9 of Go's own fonts,
// distorted and blurred until they look like MNIST's. Examples train on it without downloads.
package digits
