package run

import (
	"fmt"
	"path/filepath"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// CheckFolder runs a program on the input_I.pb of a folder and reports how its
// outputs differ from the folder's output_I.pb. Tests of generated packages
// call it.
func CheckFolder(p model.Program, dir string, tol compare.Tolerance) error {
	s, err := p.New()
	if err != nil {
		return err
	}
	if err := LoadFolder(p, s, dir); err != nil {
		return err
	}
	if err := s.Run(); err != nil {
		return err
	}
	for i, o := range p.Outputs {
		want, err := readValue(filepath.Join(dir, fmt.Sprintf("output_%d.pb", i)), o)
		if err != nil {
			return err
		}
		if err := compare.Values(s.Output(i), want, tol); err != nil {
			return fmt.Errorf("output %q: %w", o.Name, err)
		}
	}
	return nil
}
