package runtime

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/limits"
)

// CommandID names a command that runs.
type CommandID uint64

// slot serialises the commands of one component: it runs one at a time, in the
// order in which blocks started them.
type slot struct {
	busy  bool
	queue container.Fifo[started]
}

// started is a command that waits for its slot.
type started struct {
	frame *Frame
	cut   int
}

// commands are those that the host runs. An id is a place and how often it was
// used, so that a completion that comes twice is known.
type commands struct {
	table   []running
	free    []uint32
	waiting int // in slots
	running int
}

type running struct {
	frame *Frame // nil: the place is free
	cut   int
	gen   uint32
}

type completion struct {
	id  CommandID
	err error
}

// Start starts the command behind a CommandCut: the host runs it when the slot
// is free.
func (n *Node) Start(f *Frame, cut int) {
	if !n.mayStart(f.owner) {
		n.overflow("commands")
		n.lose(f, cut, ErrOverflow)
		return
	}
	f.commands++
	if f.owner != nil {
		f.owner.commands++
	}
	n.commands.waiting++
	s := &n.slots[f.module.Cuts[cut].Slot]
	s.queue.Push(started{f, cut})
	n.pump(s)
}

// mayStart reports whether there is room for one more command of a frame in the share of
// a peer, or in the node's own.
func (n *Node) mayStart(owner *peer) bool {
	used := n.commands.waiting + n.commands.running
	if owner == nil || owner == n.self {
		return used < n.limits.Commands
	}
	return limits.InFairShare(owner.commands, 1, used, limits.ForPeers(n.limits.Commands))
}

// pump runs the next command of a slot, unless a snapshot is due.
func (n *Node) pump(s *slot) {
	for !s.busy && s.queue.Len() > 0 && !n.checkpoint {
		c := s.queue.Pop()
		n.commands.waiting--
		if c.frame.ended { // nobody needs it any more
			n.left(c.frame)
			continue
		}
		s.busy = true
		n.out.Push(output{kind: Run, command: n.commands.add(c.frame, c.cut)})
	}
}

func (c *commands) add(f *Frame, cut int) CommandID {
	c.running++
	if len(c.free) == 0 {
		c.table = append(c.table, running{})
		c.free = append(c.free, uint32(len(c.table)-1))
	}
	i := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	r := &c.table[i]
	r.frame, r.cut = f, cut
	return CommandID(i)<<32 | CommandID(r.gen)
}

func (c *commands) take(id CommandID) (*Frame, int, bool) {
	i := id >> 32
	if i >= CommandID(len(c.table)) || c.table[i].frame == nil || CommandID(c.table[i].gen) != id&(1<<32-1) {
		return nil, 0, false
	}
	r := &c.table[i]
	f, cut := r.frame, r.cut
	*r = running{gen: r.gen + 1}
	c.free = append(c.free, uint32(i))
	c.running--
	return f, cut, true
}

// ErrNoCommand is what Complete says of a command that does not run.
var ErrNoCommand = errors.New("runtime: no such command runs")

// Complete says that a command has run, and what its Do returned. From now on
// the host must not touch the task.
func (n *Node) Complete(now int64, id CommandID, err error) error {
	n.advance(now)
	i := id >> 32
	if i >= CommandID(len(n.commands.table)) || n.commands.table[i].frame == nil || CommandID(n.commands.table[i].gen) != id&(1<<32-1) {
		return ErrNoCommand
	}
	n.completed.Push(completion{id, err})
	return nil
}

// complete lets the blocks run that waited for commands.
func (n *Node) complete() {
	for n.completed.Len() > 0 {
		c := n.completed.Pop()
		f, cut, ok := n.commands.take(c.id)
		if !ok {
			continue // it was completed twice before this Poll
		}
		slot := f.module.Cuts[cut].Slot
		s := &n.slots[slot]
		s.busy = false
		n.leaveRounds(slot)
		n.conclude(f, cut, c.err)
		n.left(f)
		n.pump(s)
	}
}

// conclude gives a cut point its value, which a command has brought, or not.
func (n *Node) conclude(f *Frame, cut int, err error) {
	if f.ended {
		return
	}
	if few := n.leaveOutRefused(f, cut); few != nil {
		err = few
	}
	if err != nil {
		n.lose(f, cut, err)
	} else {
		n.arrive(f, cut)
	}
}

// left says that a command has left a frame. The frame of an execution that
// ended before is free now; settle has put others in the list.
func (n *Node) left(f *Frame) {
	f.commands--
	if f.owner != nil {
		f.owner.commands--
	}
	if f.ended && f.commands == 0 && f.abandoned {
		n.recycle(f)
	}
}
