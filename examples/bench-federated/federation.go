package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"github.com/bbgen/bbgen/examples/bench-federated/program"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/sim"

	clientpeer "github.com/bbgen/bbgen/examples/bench-federated/peer/client/partition"
	serverpeer "github.com/bbgen/bbgen/examples/bench-federated/peer/server/partition"

	"github.com/bbgen/bbgen/examples/bench-federated/program/client"
	"github.com/bbgen/bbgen/examples/bench-federated/program/server"
)

// setting configures one federation.
type setting struct {
	client client.Client // includes the task
	rule   string        // "" means the mean
	noise  float64       // of the rule gaussian
	seed   uint64
}

// clip limits the change of a client in a round with the rule gaussian. Most changes are larger.
const clip = 1

// course is the quality of a federation's models after each round.
type course struct{ Loss, Accuracy []float64 }

// federation runs a setting in the simulator, with the data in a folder.
func federation(s setting, data string) (c course, err error) {
	p := sim.Program{Name: "bench", Classes: []sim.Class{{Name: "client", Partition: s.clientPeer}, {Name: "server", Partition: s.serverPeer}}}
	var out bytes.Buffer
	args := []string{"-n", "client=" + strconv.Itoa(s.client.Task.Clients), "-seed", strconv.FormatUint(s.seed, 10), "-data", data}
	if err := sim.Do(p, args, &out, io.Discard); err != nil {
		return c, err
	}
	for line := range bytes.Lines(out.Bytes()) {
		var l struct {
			Name, Error string
			Value       []float64
		}
		if json.Unmarshal(line, &l) != nil || len(l.Value) != 1 {
			continue
		}
		switch l.Name {
		case "loss":
			c.Loss = append(c.Loss, l.Value[0])
		case "accuracy":
			c.Accuracy = append(c.Accuracy, l.Value[0])
		}
	}
	if len(c.Loss) != program.Rounds || len(c.Accuracy) != program.Rounds {
		return c, fmt.Errorf("%d rounds, want %d\n%s", len(c.Loss), program.Rounds, out.Bytes())
	}
	return c, nil
}

func (s setting) clientPeer(env runtime.Env) (*runtime.Partition, error) {
	c := clientpeer.DefaultConfig()
	c.Client = s.client
	return clientpeer.Partition(env, c)
}

func (s setting) serverPeer(env runtime.Env) (*runtime.Partition, error) {
	c := serverpeer.DefaultConfig()
	c.Server = server.Server{Task: s.client.Task, Strategy: s.client.Strategy, Alpha: s.client.Alpha}
	c.Rule = server.Rule{Name: "mean", Faulty: s.client.Hostile}
	if s.rule != "" {
		c.Rule.Name, c.Rule.Noise, c.Rule.Clip = s.rule, s.noise, clip
	}
	return serverpeer.Partition(env, c)
}
