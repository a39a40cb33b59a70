package sim

import (
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/chaos"
	"github.com/bbgen/bbgen/runtime/host/mem"
)

// killer kills peers, which come back from their snapshots.
type killer struct {
	*chaos.Killer
	r      *run
	round  uint64 // the latest of all peers
	rounds int    // that have begun
	killed int
}

// kills makes peers be killed with probability p in each round, and at intervals if there are no rounds.
func (r *run) kills(p float64) {
	r.killer = &killer{Killer: chaos.NewKiller(p, r.options.seed), r: r}
	r.killer.watch()
}

// killed returns how often peers were killed.
func (r *run) killed() int {
	if r.killer == nil {
		return 0
	}
	return r.killer.killed
}

// told tracks the rounds, and which peers are back.
func (k *killer) told(i int, e runtime.Event) {
	p := &k.r.peers[i]
	switch e.Kind {
	case runtime.Phase:
		if p.down && (e.Name == "running" || e.Name == "restored") {
			p.down = false
			l := k.r.line(i)
			l.Event = "started"
			k.r.write(l)
		}
	case runtime.Emitted, runtime.Finished, runtime.Published:
		if e.Exec.Number > k.round {
			k.round = e.Exec.Number
			k.strike()
		}
	}
}

// watch kills peers when no round has begun for a while.
func (k *killer) watch() {
	before := k.rounds
	k.r.net.After(int64(chaos.Calm), func() {
		if k.rounds == before {
			k.strike()
		}
		k.watch()
	})
}

// strike kills randomly chosen peers.
func (k *killer) strike() {
	k.rounds++
	if k.r.loops.Done() {
		return
	}
	list := make([]chaos.Victim, len(k.r.peers))
	for i, p := range k.r.peers {
		list[i] = chaos.Victim{Class: p.class, Up: !p.down}
	}
	for _, i := range k.Victims(list) {
		k.killed++
		k.r.peers[i].down = true
		l := k.r.line(i)
		l.Event = "killed"
		k.r.write(l)
		k.r.net.Strike(mem.Fault{Kind: mem.Crash, Node: i, For: int64(chaos.Recovery)})
	}
}
