package runtime

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/internal/container"
)

// A CommandID identifies a running command.
type CommandID uint64

// commands holds the commands that wait, that the host runs, and that have completed. The commands of a slot run one at a
// time, in the order in which blocks started them.
type commands struct {
	slots     []slot
	table     []running // by the index in a [CommandID]
	free      []uint32  // indices
	running   int
	completed container.Fifo[completion]
}

// slot is the commands of one component.
type slot struct {
	busy  bool
	queue container.Fifo[started]
}

// started is a command that waits for its slot.
type started struct {
	frame *Frame
	cut   int
}

// running is a command that the host runs. An id consists of an index and a use count, so that a second
// completion of the same command is recognized.
type running struct {
	frame *Frame // nil: the index is free
	cut   int
	gen   uint32
}

type completion struct {
	id  CommandID
	err error
}

// add makes a command wait for its slot, which is returned.
func (c *commands) add(f *Frame, cut int) (slot int) {
	slot = f.module.Cuts[cut].Slot
	c.slots[slot].queue.Push(started{f, cut})
	return slot
}

// next removes and returns the next command of a slot, if none of the slot runs. Its execution may have ended.
func (c *commands) next(slot int) (x started, ok bool) {
	s := &c.slots[slot]
	if s.busy || s.queue.Len() == 0 {
		return x, false
	}
	return s.queue.Pop(), true
}

// run records that the host runs a command, and that its slot is busy.
func (c *commands) run(x started) CommandID {
	c.slots[x.frame.module.Cuts[x.cut].Slot].busy = true
	c.running++
	if len(c.free) == 0 {
		c.table = append(c.table, running{})
		c.free = append(c.free, uint32(len(c.table)-1))
	}
	i := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	r := &c.table[i]
	r.frame, r.cut = x.frame, x.cut
	return CommandID(i)<<32 | CommandID(r.gen)
}

// find returns the entry of a running command, or nil.
func (c *commands) find(id CommandID) *running {
	i := id >> 32
	if i >= CommandID(len(c.table)) || c.table[i].frame == nil || CommandID(c.table[i].gen) != id&(1<<32-1) {
		return nil
	}
	return &c.table[i]
}

// isBusy reports whether a command of a slot runs.
func (c *commands) isBusy(slot int) bool { return c.slots[slot].busy }

// ErrNoCommand is returned by Complete if no such command runs.
var ErrNoCommand = errors.New("runtime: no such command runs")

// complete records that a command has run, and its error.
func (c *commands) complete(id CommandID, err error) error {
	if c.find(id) == nil {
		return ErrNoCommand
	}
	c.completed.Push(completion{id, err})
	return nil
}

// taken removes and returns the next completed command, and frees its slot.
func (c *commands) taken() (x started, err error, ok bool) {
	for c.completed.Len() > 0 {
		done := c.completed.Pop()
		r := c.find(done.id)
		if r == nil {
			continue // it was completed twice before this Poll
		}
		x = started{r.frame, r.cut}
		*r = running{gen: r.gen + 1}
		c.free = append(c.free, uint32(done.id>>32))
		c.running--
		c.slots[x.frame.module.Cuts[x.cut].Slot].busy = false
		return x, done.err, true
	}
	return x, nil, false
}
