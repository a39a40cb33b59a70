// Package sensor contains the component of a thermometer. It does not import package dsl, as peers do not
// contain the compiler.
package sensor

// Sensor is a component: any Go type with the methods that the program calls.
type Sensor struct{ Start float32 }

// Read returns the temperature in a round, in degrees Celsius.
func (s *Sensor) Read(round int64) (float32, error) {
	return s.Start + float32(round)/2, nil
}
