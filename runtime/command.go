package runtime

import (
	"github.com/bbgen/bbgen/runtime/internal/ledger"
)

// Start starts the command of a CommandCut. The host runs it when its slot is free.
func (e *Engine) Start(f *Frame, cut int) {
	n := e.node()
	if !n.ledger.Admits(f.owner.share(), ledger.Commands, 1) {
		n.overflow("commands")
		n.lose(f, cut, ErrOverflow)
		return
	}
	n.countCommands(f, 1)
	n.pump(n.commands.add(f, cut))
}

// countCommands counts commands of a frame that wait or run.
func (n *Node) countCommands(f *Frame, more int) {
	f.commands += more
	n.ledger.Add(f.owner.share(), ledger.Commands, int64(more))
}

// pump starts the next command of a slot, unless a snapshot is due.
func (n *Node) pump(slot int) {
	for !n.checkpoint.Needed() {
		c, ok := n.commands.next(slot)
		if !ok {
			return
		}
		if c.frame.ended { // its frame has ended
			n.commandEnded(c.frame)
			continue
		}
		n.traceWait(c.frame, c.cut)
		n.out.Push(output{kind: Run, command: n.commands.run(c)})
	}
}

// pumpAll starts the next command of each slot.
func (n *Node) pumpAll() {
	for slot := range n.commands.slots {
		n.pump(slot)
	}
}

// Complete reports that a command has run, and the error of its Do. After the call the host must not use the
// task.
func (n *Node) Complete(now int64, id CommandID, err error) error {
	n.advance(now)
	return n.commands.complete(id, err)
}

// complete makes the blocks runnable that waited for completed commands.
func (n *Node) complete() {
	for c, err, ok := n.commands.taken(); ok; c, err, ok = n.commands.taken() {
		slot := c.frame.module.Cuts[c.cut].Slot
		n.leaveRounds(slot)
		n.conclude(c.frame, c.cut, err)
		n.commandEnded(c.frame)
		n.pump(slot)
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

// leaveOutRefused leaves out the contributions that a command of a frame has refused. It returns an error when
// too few are left.
func (n *Node) leaveOutRefused(f *Frame, command int) (few error) {
	if f.folds == nil {
		return nil
	}
	for _, l := range f.folds[command] {
		for _, r := range l.refused {
			if err := n.refuseContribution(f, l.gather, r.from.id, r.why); err != nil {
				few = err
			}
		}
	}
	f.forgetFolds(command)
	return few
}
