package run

import (
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/chaos"
)

// chaosFlag is the flag that says what goes wrong.
type chaosFlag struct{ chaos.Spec }

// Type is what help calls the value.
func (c *chaosFlag) Type() string { return "chaos" }

// check says what cannot be done in the way that the peers run.
func (c *chaosFlag) check(sim bool) error {
	if !sim && c.Faults > 0 {
		return cli.Usagef("--chaos faults: crashes, broken channels and partitions are those of the simulated network; add --sim (processes are killed: kill=20%%)")
	}
	return nil
}

// victims are those rows that do not survive a round.
func victims(k *chaos.Killer, rows []row) []int {
	list := make([]chaos.Victim, len(rows))
	for i := range rows {
		list[i] = chaos.Victim{Class: rows[i].class, Up: rows[i].running()}
	}
	return k.Victims(list)
}
