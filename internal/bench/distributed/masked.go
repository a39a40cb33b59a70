package main

import (
	"fmt"
	"log"
)

// maskedRounds compares rounds in which masks hide the changes, and two of ten clients are lost, with plain ones.
func (b *bench) maskedRounds(host string) error {
	var medians [2]float64
	for i, x := range []struct {
		pkg, figure string
		fails       bool
	}{
		{"program", "a round, 10 clients, 1.66 M parameters", false},
		{"masked", "a masked round, 10 clients of which two are lost, 1.66 M parameters", true},
	} {
		s := federation(host, 10, large)
		s.fails = x.fails
		err := b.run(x.pkg, s, func(f *fleet) error {
			times, err := f.rounds(b.rounds)
			if err != nil {
				return err
			}
			r := timed(x.figure, host, times, 0, "")
			medians[i] = r.Value
			b.add(r)
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", x.figure, err)
		}
	}
	log.Printf("  a masked round takes %.2f times as long as a plain one, without training", medians[1]/medians[0])
	return nil
}
