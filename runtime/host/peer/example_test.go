package peer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// program returns the description of a class of peers, as a generated main has it. Package handmade is in place
// of the packages that bbgen generates.
func program(class string, partition *runtime.Partition) peer.Program {
	return peer.Program{
		Name: "pingpong", Class: class, Classes: []string{"ping", "pong"}, Fingerprint: partition.Fingerprint,
		Partition: func(runtime.Env) (*runtime.Partition, error) { return partition, nil }, Transport: tcp.New,
	}
}

// Two peers run in one Go program. The first one invites the second, which calls a module and gets the answer.
func ExampleStart() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "pingpong")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	state := filepath.Join(dir, "pong")
	pong, err := peer.Start(ctx, program("pong", handmade.Pong()), "-state", state, "-listen", "127.0.0.1:0", "-log", "none")
	if err != nil {
		log.Fatal(err)
	}
	defer pong.Close()
	token, err := peer.Invite(state, "ping", time.Hour, nil)
	if err != nil {
		log.Fatal(err)
	}
	ping, err := peer.Start(ctx, program("ping", handmade.Ping(1)), "-join", token.String(), "-await", "pong=1", "-log", "none")
	if err != nil {
		log.Fatal(err)
	}
	defer ping.Close()
	out, err := ping.Invoke(ctx, "ping", map[string]tensor.Value{"x": tensor.Of([]float64{1, 10}, 2)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tensor.Data[float64](out["y"].(*tensor.Tensor)))
	// Output: [2 11]
}
