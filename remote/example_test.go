package remote_test

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"log"

	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

// A device computes x·x and its sum. The server is in this program here; "bbgen remote serve" is one elsewhere.
func ExampleDial() {
	ctx := context.Background()
	_, serverKey, _ := ed25519.GenerateKey(nil)
	_, clientKey, _ := ed25519.GenerateKey(nil)
	s, err := server.New(server.Config{
		Key: serverKey, Listen: []wire.Address{"/ip4/127.0.0.1/tcp/0"}, Memory: 1 << 20, ClientMemory: 1 << 20,
		Admit: func(wire.PeerID, *wire.Hello) error { return nil }, // a real server has a list, or invitations
	})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	dev, err := remote.Dial(ctx, remote.Config{Address: string(s.Addresses()[0]), Key: clientKey})
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x := dev.Register(tensor.Of([]float32{1, 2, 3}, 3))
	square := dev.Execute("Mul", nil, x, x)
	sum := dev.Execute("ReduceSum", remote.Attrs{"keepdims": 0}, square)
	got, err := dev.Read(ctx, square, sum)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range got {
		fmt.Println(t.Shape, tensor.Data[float32](t))
	}
	// Output:
	// [3] [1 4 9]
	// [] [14]
}
