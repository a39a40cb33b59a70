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
	World   mem.Config // including its faults
	Limits  Limits

	Heartbeat int64 // ns; 0: no health checks
	Insiders  int   // the number of lying workers, the last ones
	Lies      Lies
	Failing   int   // percent of the questions to workers in which a block fails, the first time that a worker gets them
	Forgets   []int // peers without a state directory
	Joins     int64 // when the last of the workers joins; 0: from the start
	Blocked   int64 // when the leader blocks the last of the workers; 0: never
}

// Program is the work of the leader in each of its rounds, in some concurrent lanes.
type Program struct {
	Lanes, Rounds, Workers int
	Size                   int // elements of a value
	Steps                  []Step
	Missing                int                 // how many of the asked workers may be missing
	Within                 int64               // ns to wait for workers; 0: unlimited
	Short                  runtime.ShortPolicy // the policy for a round without a quorum
	Boot                   int64               // ns of the relay's bootstrap
	Again                  int64               // when the relay's bootstrap runs again; 0: never
	Ticks                  bool                // peers have timers of their own
}

// Step is one operation of a peer on its value.
type Step struct {
	Kind Kind
	Sub  []Step // of the asked peers
}

// Kind is the kind of a step.
type Kind int

// The kinds of steps.
const (
	Sleep  Kind = iota // continues later
	Work               // a command
	Other              // a command of another slot
	Either             // the first of a command and a timer
	Ask                // mixes the results of workers
	Few                // mixes the results of all workers except the first
	Visit              // the result of a relay
	Far                // the result of a relay and a further one
	Self               // the leader sends it to itself
	Feed               // a queue that a timer fills
	Await              // workers are connected
	Stray              // a relay waits for a value that never comes
	Apart              // a message to a relay, in a separate execution
	kinds

	Tell = kinds // a message of a worker to the relay, in a separate execution
)

const simple = Ask // earlier kinds need no other peer

var stepNames = [...]string{"sleep", "work", "other", "either", "ask", "few", "visit", "far", "self", "feed", "await", "stray", "apart", "tell"}

// exact reports whether all workers take part in each round: because each must, or because no fault prevents
// it.
func (c *Case) exact() bool { return c.Program.Missing == 0 || c.calm() }

// calm reports whether no fault ends a channel, and each peer is waited for.
func (c *Case) calm() bool {
	return c.Program.Within > 0 && c.Program.Short == runtime.ShortFails && c.Insiders+c.Failing+len(c.Forgets)+len(c.World.Faults) == 0 &&
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
	c.drawFailing(r)
	return c
}

// drawFailing lets blocks of workers fail. If a round needs all of them, it is repeated or skipped at once: without a
// deadline it would otherwise wait longer than a case may take.
func (c *Case) drawFailing(r *rand.Rand) {
	if r.IntN(3) > 0 || c.Program.Missing == 0 && c.Program.Short == runtime.ShortFails {
		return
	}
	c.Failing = 1 + r.IntN(60)
	if c.Program.Missing == 0 {
		c.Program.Within = 0
	}
}

// mayFail reports whether blocks of a peer may fail: of any worker if rounds need all, and of one that may be missing
// otherwise.
func (c *Case) mayFail(i int) bool {
	return c.Failing > 0 && i >= firstWorker && (c.Program.Missing == 0 || i >= c.peers()-c.Program.Missing)
}

// The kinds of faults: those that any peer may have, those after which the others continue without a peer, and
// those that may prevent a quorum.
var (
	faults   = []mem.FaultKind{mem.Crash, mem.Cut, mem.Break, mem.CrashBlock, mem.CrashSaved, mem.Hang, mem.DiskFull, mem.SyncFails, mem.Restart}
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

// spare draws a peer without which rounds can complete.
func (c *Case) spare(r *rand.Rand) int { return c.peers() - 1 - r.IntN(c.Program.Missing) }

// drawEnd draws the end of the last fault.
func drawEnd(r *rand.Rand) int64 { return 100e6 << r.IntN(6) }

// loosen lets rounds complete without some of the workers, the last ones: they may lie, lose their state,
// leave, stop, join later or be blocked.
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
		if p.Boot = r.Int64N(50e6); p.Boot > 0 && r.IntN(2) == 0 {
			p.Again = 1 + r.Int64N(500e6)
		}
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

// Large is the size in bytes from which on values are shared: call [tensor.Poison] with it before any case.
const Large = 64
