package peerplan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/partitioner"
)

// ErrCannotKeep is the error of a value of a type that frames have no place for.
var ErrCannotKeep = errors.New("peers cannot keep")

// check returns an error if no code can be generated for the frame.
func (f *Frame) check() (err error) {
	for _, x := range slices.Concat(f.Kept, f.Scratch) {
		if v := x.Value; !CanKeep(v.Type) {
			return fmt.Errorf("%svalue %q is %s, which %w", position(v.Def), v.Name, v.Type, ErrCannotKeep)
		}
	}
	f.eachStep(func(s *partitioner.Step) {
		if err == nil && s.Node != nil {
			err = f.Plan.checkNode(s.Node)
		}
	})
	return err
}

func (p *Plan) checkNode(n *ir.Node) error {
	if op.PeerOf(n) == nil {
		return fmt.Errorf("%s%v computes: it belongs into a computation", position(n), n)
	}
	if strings.HasPrefix(n.Domain, peer.RolePrefix) && p.SlotOf(n) == nil {
		return fmt.Errorf("%s%v: there is no slot %q", position(n), n, n.Str(peer.SlotAttr))
	}
	return nil
}

// position returns the author's position of a node, for messages.
func position(n *ir.Node) string {
	if n == nil || n.Pos == "" {
		return ""
	}
	return n.Pos + ": "
}
