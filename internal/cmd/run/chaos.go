package run

import (
	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/chaos"
)

// chaosFlag is the flag that selects faults.
type chaosFlag struct{ chaos.Spec }

// Type returns the name of the value in help.
func (c *chaosFlag) Type() string { return "chaos" }

// check returns an error for faults that are impossible in the mode of the run.
func (c *chaosFlag) check(sim bool) error {
	if !sim && c.Faults > 0 {
		return cli.Usagef("--chaos faults: crashes, broken channels and partitions are those of the simulated network; add --sim (processes are killed: kill=20%%)")
	}
	return nil
}

// victims returns the rows of the peers to kill in a round.
func victims(k *chaos.Killer, rows []row) []int {
	list := make([]chaos.Victim, len(rows))
	for i := range rows {
		list[i] = chaos.Victim{Class: rows[i].class, Up: rows[i].running()}
	}
	return k.Victims(list)
}
