package remote_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// on chooses a device, with a client's key.
func on(device int, key []byte) func(*remote.Config) {
	return func(c *remote.Config) { c.Device, c.Key = device, key }
}

// TestDevices: a server has several devices, which a client counts and chooses from. Tensors go from one to another. There
// is no other device than those.
func TestDevices(t *testing.T) {
	s := start(t, func(c *server.Config) { c.Devices, c.Memory, c.ClientMemory = 3, 3<<20, 3<<20 })
	key := newKey(t)
	first, last := dial(t, s, on(0, key)), dial(t, s, on(2, key))
	for _, d := range []*remote.Device{first, last} {
		if p, err := d.Describe(t.Context()); err != nil || p.Devices != 3 || p.Memory != 1<<20 {
			t.Errorf("got %+v, %v, want 3 devices of 1 MiB", p, err)
		}
	}
	moved, err := first.Execute("Neg", nil, first.Register(vec(1, -2))).To(t.Context(), last)
	if err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, moved); !slices.Equal(tensor.Data[float32](got), []float32{-1, 2}) {
		t.Errorf("the last device has %v", got)
	}
	for device, want := range map[int]string{7: "there is no device 7: the server has 3, counted from 0", -1: "Config.Device is -1, want 0 or more"} {
		c := remote.Config{Address: string(s.Addresses()[0])}
		on(device, key)(&c)
		if _, err := remote.Dial(context.Background(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("device %d: %v, want %s", device, err, want)
		}
	}
}

// TestDeviceMemory: a device has its part of the memory, for all clients and for each. Others keep theirs.
func TestDeviceMemory(t *testing.T) {
	s := start(t, func(c *server.Config) { c.Devices, c.Memory, c.ClientMemory = 2, 2<<20, 2<<20 })
	half := tensor.New(tensor.Uint8, 600<<10)
	key := newKey(t)
	a, sibling, b, other := dial(t, s, on(0, key)), dial(t, s, on(0, key)), dial(t, s, on(0, newKey(t))), dial(t, s, on(1, key))
	for _, tt := range []struct {
		d    *remote.Device
		want string
	}{{a, ""}, {a, "the session uses"}, {sibling, "the client uses"}, {b, "device 0 uses"}, {other, ""}} {
		tt.d.Register(half)
		if err := tt.d.Sync(t.Context()); tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}
