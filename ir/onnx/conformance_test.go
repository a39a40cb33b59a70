package onnx

import (
	"testing"

	"github.com/bbgen/bbgen/internal/conformance"
	"github.com/bbgen/bbgen/ir"
)

// TestConformance decodes all models of the archives.
func TestConformance(t *testing.T) {
	for _, name := range []string{conformance.Cases, conformance.OldOpsets, conformance.Models, conformance.Training} {
		t.Run(name, func(t *testing.T) {
			for _, c := range conformance.List(t, conformance.Open(t, name)) {
				m, err := Decode(c.Name, c.Model(t), nil)
				if err != nil {
					t.Error(err)
					continue
				}
				if err := ir.Verify(m); err != nil {
					t.Errorf("%s: %v", c.Name, err)
				}
				if sets := c.Sets(t); len(sets) > 0 && len(sets[0].Inputs) != len(m.Main.Body.Params) {
					t.Errorf("%s: has %d parameters, want one for each of %d inputs", c.Name, len(m.Main.Body.Params), len(sets[0].Inputs))
				}
			}
		})
	}
}
