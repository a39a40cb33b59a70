package explore

import (
	"reflect"

	"github.com/bbgen/bbgen/runtime/host/mem"
)

// Minimize reduces a failing case as long as it fails: fewer and shorter faults, then fewer rounds, lanes,
// steps and workers, then a better network.
func Minimize(c *Case) *Case {
	fails := func(c *Case) bool { return Play(c, nil).Err != nil }
	for again := true; again; {
		again = false
		if few := dropFaults(c, fails); len(few) < len(c.World.Faults) {
			c, again = with(c, func(x *Case) { x.World.Faults = few }), true
		}
		for _, smaller := range reductions(c) {
			if x := with(c, smaller); fails(x) {
				c, again = x, true
			}
		}
	}
	return c
}

func dropFaults(c *Case, fails func(*Case) bool) []mem.Fault {
	return mem.Shrink(c.World.Faults, func(f []mem.Fault) bool {
		return fails(with(c, func(x *Case) { x.World.Faults = f }))
	})
}

// with returns a copy of a case with a change.
func with(c *Case, change func(*Case)) *Case {
	x := *c
	x.World.Faults = append([]mem.Fault(nil), c.World.Faults...)
	x.Program.Steps = append([]Step(nil), c.Program.Steps...)
	change(&x)
	return &x
}

// reductions returns the possible reductions of a case.
func reductions(c *Case) (list []func(*Case)) {
	add := func(can bool, f func(*Case)) {
		if can {
			list = append(list, f)
		}
	}
	p := &c.Program
	add(p.Lanes > 1, func(x *Case) { x.Program.Lanes-- })
	add(p.Rounds > 1, func(x *Case) { x.Program.Rounds-- })
	add(p.Workers > max(1, p.Missing+1) && c.Joins == 0, func(x *Case) { x.Program.Workers-- })
	for k := range p.Steps {
		add(len(p.Steps) > 1, func(x *Case) {
			if k < len(x.Program.Steps) {
				x.Program.Steps = append(x.Program.Steps[:k:k], x.Program.Steps[k+1:]...)
			}
		})
		add(len(p.Steps[k].Sub) > 0, func(x *Case) {
			if k < len(x.Program.Steps) {
				x.Program.Steps[k].Sub = nil
			}
		})
	}
	add(p.Ticks, func(x *Case) { x.Program.Ticks = false })
	add(p.Boot > 0, func(x *Case) { x.Program.Boot = 0 })
	add(p.Size > 3, func(x *Case) { x.Program.Size = 3 })
	add(c.Heartbeat > 0, func(x *Case) { x.Heartbeat = 0 })
	add(p.Short != 0, func(x *Case) { x.Program.Short = 0 })
	add(len(c.Forgets) > 0, func(x *Case) { x.Forgets = nil })
	add(c.Insiders > 0, func(x *Case) { x.Insiders-- })
	add(c.Blocked > 0, func(x *Case) { x.Blocked = 0 })
	add(c.Joins > 0, func(x *Case) { x.Joins = 0 })
	for i := range reflect.TypeOf(c.Limits).NumField() {
		limit := func(x *Case) reflect.Value { return reflect.ValueOf(&x.Limits).Elem().Field(i) }
		add(limit(c).Int() > 0, func(x *Case) { limit(x).SetInt(0) })
	}
	for i := range reflect.TypeOf(c.Lies).NumField() {
		lie := func(x *Case) reflect.Value { return reflect.ValueOf(&x.Lies).Elem().Field(i) }
		add(lie(c).Int() > 0, func(x *Case) { lie(x).SetInt(0) })
	}
	w := &c.World
	add(w.Loss > 0, func(x *Case) { x.World.Loss = 0 })
	add(w.Duplicate > 0, func(x *Case) { x.World.Duplicate = 0 })
	add(w.Corrupt > 0, func(x *Case) { x.World.Corrupt = 0 })
	add(w.Skew > 0, func(x *Case) { x.World.Skew = 0 })
	add(w.Spool > 0, func(x *Case) { x.World.Spool = 0 })
	add(w.Jitter > 0, func(x *Case) { x.World.Jitter = 0 })
	return list
}
