package explore

import (
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/mem"
)

// Case is one run.
type Case struct {
	Seed    uint64
	Program Program
	World   mem.Config // its faults among it
	Limits  Limits

	Heartbeat int64 // ns; 0: nobody looks after the health of others
	Insiders  int   // the last of the workers, which lie
	Lies      Lies
	Forgets   []int // peers without a state directory
	Joins     int64 // when the last of the workers joins; 0: it is there from the start
	Blocked   int64 // when the leader blocks the last of the workers; 0: never
}

// Program is what the leader does in each of its rounds, in some lanes beside each other.
type Program struct {
	Lanes, Rounds, Workers int
	Size                   int // elements of a value
	Steps                  []Step
	Missing                int                 // of the workers that are asked so many may be missing
	Within                 int64               // ns for which workers are waited for; 0: as long as it takes
	Short                  runtime.ShortPolicy // what follows a round without a quorum
	Boot                   int64               // ns that the relay takes to start
	Ticks                  bool                // peers have timers of their own
}

// Step is one thing that a peer does with its value.
type Step struct {
	Kind Kind
	Sub  []Step // of those who are asked
}

// Kind is what a step does.
type Kind int

// The kinds of steps.
const (
	Sleep  Kind = iota // goes on later
	Work               // a command
	Other              // a command of another slot
	Either             // a command or a timer, whichever is first
	Ask                // mixes what workers make of it
	Few                // mixes what all workers but the first make of it
	Visit              // what a relay makes of it
	Far                // what a relay, and one behind it, make of it
	Self               // the leader sends it to itself
	Feed               // a queue that a timer fills
	Await              // workers are connected
	Stray              // a relay is left waiting for what never comes
	Apart              // a relay is told, in an execution of its own
	kinds

	Tell = kinds // a worker tells the relay, in an execution of its own
)

const simple = Ask // the kinds before it need no other peer

var stepNames = [...]string{"sleep", "work", "other", "either", "ask", "few", "visit", "far", "self", "feed", "await", "stray", "apart", "tell"}

// exact reports whether all workers take part in each round: because each must, or because
// nothing keeps one from it.
func (c *Case) exact() bool { return c.Program.Missing == 0 || c.calm() }

// calm reports whether nothing goes wrong that ends a channel, and each peer is waited for.
func (c *Case) calm() bool {
	return c.Program.Within > 0 && c.Program.Short == runtime.ShortFails && c.Insiders+len(c.Forgets)+len(c.World.Faults) == 0 &&
		c.Joins+c.Blocked+c.Heartbeat == 0 && c.World.Corrupt == 0
}

// Draw draws a case.
func Draw(seed uint64) *Case {
	r := rand.New(rand.NewPCG(seed, 11))
	c := &Case{Seed: seed, Program: drawProgram(r)}
	if r.IntN(3) == 0 {
		c.Heartbeat = 200e6 + r.Int64N(2e9)
	}
	end := drawEnd(r)
	if r.IntN(3) == 0 {
		c.loosen(r, end)
	} else if r.IntN(6) == 0 {
		c.Forgets = []int{leader}
	}
	if r.IntN(4) == 0 && len(c.Forgets) == 0 {
		c.Program.Short = runtime.ShortSkips + runtime.ShortPolicy(r.IntN(3))
		c.Program.Within = 1e9 + r.Int64N(2e9)
	}
	c.limit(r)
	c.World = drawWorld(r, end)
	c.World.Faults = c.drawFaults(r, end)
	return c
}

// The kinds of faults: those that any peer may have, those after which others do without
// a peer, and those for which a round may be without its quorum.
var (
	faults   = []mem.FaultKind{mem.Crash, mem.Cut, mem.Break, mem.CrashBlock, mem.CrashSaved, mem.Hang, mem.DiskFull, mem.SyncFails}
	partings = []mem.FaultKind{mem.Stop, mem.Leave}
	outages  = []mem.FaultKind{mem.Crash, mem.Hang}
)

func (c *Case) drawFaults(r *rand.Rand, end int64) (list []mem.Fault) {
	if r.IntN(8) > 0 {
		list = mem.DrawFaults(r, r.IntN(1<<(1+r.IntN(7))), c.peers(), end, faults...)
	}
	if r.IntN(16) == 0 {
		list = append(list, mem.DrawFaults(r, 1+r.IntN(2), c.peers(), end, mem.DiskLies)...)
	}
	if c.Program.Short != runtime.ShortFails {
		for range 1 + r.IntN(3) { // longer than rounds wait
			list = append(list, mem.Fault{At: r.Int64N(end), For: 1e9 + r.Int64N(4e9), Kind: outages[r.IntN(len(outages))], Node: firstWorker + r.IntN(c.Program.Workers)})
		}
	}
	if c.Program.Missing > 0 && r.IntN(3) == 0 {
		list = append(list, mem.Fault{At: r.Int64N(end), For: r.Int64N(end), Kind: partings[r.IntN(len(partings))], Node: c.spare(r)})
	}
	return list
}

// spare draws one of the peers that rounds can do without.
func (c *Case) spare(r *rand.Rand) int { return c.peers() - 1 - r.IntN(c.Program.Missing) }

// drawEnd draws when the last fault is over.
func drawEnd(r *rand.Rand) int64 { return 100e6 << r.IntN(6) }

// loosen has rounds go on without some of the workers, the last ones: they may be liars,
// forget, leave, stop, join later or be blocked.
func (c *Case) loosen(r *rand.Rand, end int64) {
	p := &c.Program
	p.Workers = 3 + r.IntN(3)
	p.Missing = 1 + r.IntN(p.Workers/2)
	if r.IntN(2) == 0 {
		p.Within = end + 5e9 + r.Int64N(5e9) // honest workers answer by then
	}
	if r.IntN(2) == 0 {
		c.Insiders = 1 + r.IntN(p.Missing)
		c.Lies = drawLies(r)
	}
	if r.IntN(3) == 0 {
		c.Forgets = []int{c.spare(r)}
	}
	if r.IntN(3) == 0 {
		if c.Joins = 1 + r.Int64N(1e9); r.IntN(2) == 0 {
			c.Blocked = c.Joins + r.Int64N(1e9)
		}
	}
}

func drawProgram(r *rand.Rand) Program {
	p := Program{Lanes: 1 + r.IntN(3), Rounds: 1 + r.IntN(1<<r.IntN(4)), Workers: 1 + r.IntN(3), Size: 3 + r.IntN(3), Ticks: r.IntN(3) == 0}
	if r.IntN(3) == 0 {
		p.Size = 3 + r.IntN(200)
	}
	if r.IntN(4) == 0 {
		p.Boot = r.Int64N(50e6)
	}
	p.Steps = drawSteps(r, 1+r.IntN(4), kinds)
	return p
}

// drawSteps draws steps of the kinds before most.
func drawSteps(r *rand.Rand, n int, most Kind) []Step {
	list := make([]Step, n)
	for i := range list {
		s := &list[i]
		if s.Kind = Kind(r.IntN(int(most))); most == kinds && r.IntN(3) == 0 {
			s.Kind = Ask
		}
		switch s.Kind {
		case Ask, Few:
			s.Sub = drawSteps(r, r.IntN(4), simple)
			if r.IntN(3) == 0 {
				s.Sub = append(s.Sub, Step{Kind: Tell})
			}
		case Visit, Far:
			s.Sub = drawSteps(r, r.IntN(4), simple)
		}
	}
	return list
}

func drawWorld(r *rand.Rand, end int64) mem.Config {
	w := mem.Config{Seed: r.Uint64(), Delay: 1 + r.Int64N(5e6), Jitter: r.Int64N(20e6), Loss: r.Float64() * 0.2, Duplicate: r.Float64() * 0.2,
		Corrupt: r.Float64() * 0.02, Skew: r.Int64N(100000), Command: r.Int64N(30e6), Persist: r.Int64N(20e6), ByteTime: r.Int64N(1e5), Heal: end, Verify: true}
	if r.IntN(3) == 0 {
		w.Loss, w.Duplicate, w.Corrupt = 0, 0, 0
	}
	if r.IntN(3) == 0 {
		w.Spool, w.SpoolFiles = 16+r.IntN(100), 4<<r.IntN(8)
	}
	return w
}

// Large is from how many bytes on values are shared: [tensor.Poison] is to be called with
// it before anything is played.
const Large = 64
