// Package sensor is what is in a thermometer's slot. It does not import package
// dsl: what a peer is made of holds no compiler.
package sensor

// Sensor is a component: any Go type that has the methods that are called.
type Sensor struct{ Start float32 }

// Read returns the temperature in a round, in degrees Celsius.
func (s *Sensor) Read(round int64) (float32, error) {
	return s.Start + float32(round)/2, nil
}
