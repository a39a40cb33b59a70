// Package generated contains generated packages, each in a folder
// with its graph: they show the code that bbgen generates. Tests
// build and run them, and compare them byte for byte.
package generated
