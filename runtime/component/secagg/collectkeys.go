package secagg

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// CollectKeys is a [Collect] of the answers to [Client.Keys]. It leaves out a peer with keys for which all others would refuse
// the round.
type CollectKeys struct {
	Collect

	identity runtime.Identity
}

// Open checks the configuration.
func (c *CollectKeys) Open(env runtime.Env) error {
	if c.identity = env.Identity; c.identity == nil {
		return errors.New("secagg.CollectKeys: the host does not let it check what peers sign: set Identity in the runtime.Env")
	}
	return nil
}

// Contribute keeps the keys of a peer.
func (c *CollectKeys) Contribute(from wire.PeerID, x tensor.Dense[uint8], weight float32) error {
	o, err := readPublicKeys(x.Data)
	if err != nil {
		return err
	}
	if err := o.usable(); err != nil {
		return fmt.Errorf("its keys: %w", err)
	}
	if !c.identity.Verify(from, separated(c.messages.Round(), "keys", x.Data[:publicKeysSize]), x.Data[publicKeysSize:]) {
		return errors.New("its keys are not signed for this round")
	}
	return c.Collect.Contribute(from, x, weight)
}
