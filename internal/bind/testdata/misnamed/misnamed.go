// Package renamed is in a folder of another name.
package renamed

// Sensor has no methods.
type Sensor struct{}
