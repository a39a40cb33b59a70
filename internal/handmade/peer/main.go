// Command peer runs a partition of a handmade program like bbgen's mains do. The first argument selects the
// partition.
//
//	peer server ROUNDS CLIENTS [flags]
//	peer client [flags]
//	peer ping ROUNDS [flags]
//	peer pong [flags]
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/host/tcp"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "peer: want server, client, ping or pong")
		os.Exit(2)
	}
	class := os.Args[1]
	os.Args = append(os.Args[:1], os.Args[2:]...)
	switch class {
	case "server":
		rounds, clients := number(), number()
		peer.Main(Server(rounds, clients))
	case "client":
		peer.Main(Client())
	}
}

// number returns the first argument as a number, and removes it.
func number() int {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "peer: want a number")
		os.Exit(2)
	}
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(2)
	}
	os.Args = append(os.Args[:1], os.Args[2:]...)
	return n
}

// Server returns the program of the peer that averages, like codegen prints it. The configuration may set the
// number of parameters.
func Server(rounds, clients int) peer.Program {
	params := []float64{8, -3}
	p := handmade.Server(rounds, clients, int64(10*time.Minute))
	return peer.Program{
		Name: "rounds", Class: p.Class, Fingerprint: p.Fingerprint,
		Partition: func(e runtime.Env) (*runtime.Partition, error) {
			if e.Config == nil {
				return p, nil
			}
			var config struct{ Params int }
			err := json.Unmarshal(e.Config, &config)
			params = make([]float64, config.Params)
			return p, err
		},
		Start: func(n *runtime.Node) error {
			_, err := n.Invoke(n.Now(), "server", tensor.Of(params, len(params)))
			return err
		},
		Transport: tcp.New,
	}
}

// Client returns the program of the peers that train.
func Client() peer.Program {
	return peer.Program{
		Name: "rounds", Class: "client", Fingerprint: handmade.Client(nil).Fingerprint,
		Partition: func(e runtime.Env) (*runtime.Partition, error) {
			return handmade.Client(&handmade.Trainer{Rank: e.Rank}), nil
		},
		Transport: tcp.New,
	}
}
