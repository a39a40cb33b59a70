package runtime

import (
	"errors"

	"github.com/bbgen/bbgen/runtime/internal/container"
	"github.com/bbgen/bbgen/runtime/internal/ledger"
)

// A CommandID identifies a running command.
type CommandID uint64

// slot serializes the commands of one component: they run one at a time, in the order in which blocks started
// them.
type slot struct {
	busy  bool
	queue container.Fifo[started]
}

// started is a command that waits for its slot.
type started struct {
	frame *Frame
	cut   int
}

// commands holds the commands that the host runs. An id consists of an index and a use count, so that a second
// completion of the same command is recognized.
type commands struct {
	table   []running
	free    []uint32
	running int
}

type running struct {
	frame *Frame // nil: the index is free
	cut   int
	gen   uint32
}

type completion struct {
	id  CommandID
	err error
}

// Start starts the command of a CommandCut. The host runs it when its slot is free.
func (n *Node) Start(f *Frame, cut int) {
	if !n.ledger.Admits(f.owner.share(), ledger.Commands, 1) {
		n.overflow("commands")
		n.lose(f, cut, ErrOverflow)
		return
	}
	n.countCommands(f, 1)
	s := &n.slots[f.module.Cuts[cut].Slot]
	s.queue.Push(started{f, cut})
	n.pump(s)
}

// countCommands counts commands of a frame that wait or run.
func (n *Node) countCommands(f *Frame, more int) {
	f.commands += more
	n.ledger.Add(f.owner.share(), ledger.Commands, int64(more))
}

// pump starts the next command of a slot, unless a snapshot is due.
func (n *Node) pump(s *slot) {
	for !s.busy && s.queue.Len() > 0 && !n.checkpoint.Needed() {
		c := s.queue.Pop()
		if c.frame.ended { // its frame has ended
			n.commandEnded(c.frame)
			continue
		}
		s.busy = true
		n.traceWait(c.frame, c.cut)
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

// ErrNoCommand is returned by Complete if no such command runs.
var ErrNoCommand = errors.New("runtime: no such command runs")

// Complete reports that a command has run, and the error of its Do. After the call the host must not use the
// task.
func (n *Node) Complete(now int64, id CommandID, err error) error {
	n.advance(now)
	i := id >> 32
	if i >= CommandID(len(n.commands.table)) || n.commands.table[i].frame == nil || CommandID(n.commands.table[i].gen) != id&(1<<32-1) {
		return ErrNoCommand
	}
	n.completed.Push(completion{id, err})
	return nil
}

// complete makes the blocks runnable that waited for completed commands.
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
		n.commandEnded(f)
		n.pump(s)
	}
}

// conclude settles a cut point with the result of a command: its value, or an error.
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

// commandEnded records that a command has ended. If its execution ended before, the frame is free now, and settle has
// put others in the list.
func (n *Node) commandEnded(f *Frame) {
	n.countCommands(f, -1)
	if f.ended && f.commands == 0 && f.abandoned {
		n.recycle(f)
	}
}
