// Package heavier imports a package that imports the compiler.
package heavier

import "github.com/bbgen/bbgen/internal/bind/testdata/heavy"

// Sensor is another one's.
type Sensor struct{ heavy.Sensor }
