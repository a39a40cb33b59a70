package main

import (
	"fmt"

	"github.com/bbgen/bbgen/examples/bench-federated/program"
	"github.com/bbgen/bbgen/examples/bench-federated/program/client"
	"github.com/bbgen/bbgen/examples/bench-federated/program/server"
	"github.com/bbgen/bbgen/examples/bench-federated/program/task"
	"github.com/bbgen/bbgen/runtime/component/dp/accountant"
)

// experiment is a set of federations that are compared in one chart.
type experiment struct {
	name     string // the name for -only
	title    string
	about    string
	accuracy bool // it compares accuracies, for which more is better; otherwise losses
	log      bool // on a logarithmic scale
	seeds    int
	rows     []row
}

// row is one federation of an experiment.
type row struct {
	name string
	setting
}

// experiments returns all experiments.
func experiments() []experiment {
	list := []experiment{digits()}
	for _, g := range []float64{1, 10, 100} {
		list = append(list, quadratics(g))
	}
	for _, part := range []float64{0, 0.5, 0.9} {
		list = append(list, stragglers(part))
	}
	for _, attack := range []string{"labels", "sign", "little"} {
		list = append(list, attacks(attack))
	}
	return append(list, privacy())
}

// quadratics compares strategies on the functions of SCAFFOLD's paper, which differ by g.
func quadratics(g float64) experiment {
	e := experiment{
		name: fmt.Sprintf("quadratics-%g", g), title: fmt.Sprintf("SCAFFOLD's quadratic functions, G = %g", g), log: true, seeds: 1,
		about: "Distance from the best model. Two clients, ten steps in each round (Karimireddy 2020, section 7.1).",
	}
	for _, name := range []string{"fedavg", "scaffold"} {
		e.rows = append(e.rows, row{name, setting{client: client.Client{Strategy: name, Task: task.Config{Name: "quadratic", Clients: 2, Skew: g}}}})
	}
	return e
}

// stragglers compares strategies on Synthetic(1, 1) of FedProx's paper, where a part of the clients has no
// time for all steps.
func stragglers(part float64) experiment {
	e := experiment{
		name: fmt.Sprintf("stragglers-%g", 100*part), title: fmt.Sprintf("Synthetic(1, 1), %g %% stragglers", 100*part), seeds: 3,
		about: "Loss of all clients' data. Ten of thirty clients in each round, twenty epochs; FedAvg does without those that are late, FedProx takes what they have (Li 2020, figure 1).",
	}
	for _, r := range []struct {
		name string
		client.Client
	}{
		{"fedavg", client.Client{Strategy: "fedavg", Drop: true}},
		{"fedprox, μ = 0", client.Client{Strategy: "fedavg"}},
		{"fedprox, μ = 1", client.Client{Strategy: "fedprox", Mu: 1}},
		{"fednova", client.Client{Strategy: "fednova"}},
	} {
		r.PerRound, r.Stragglers, r.Task = 10, part, task.Config{Name: "synthetic", Clients: 30, Skew: 1}
		e.rows = append(e.rows, row{r.name, setting{client: r.Client}})
	}
	return e
}

// digits compares all strategies on digits with labels divided by a Dirichlet distribution.
func digits() experiment {
	e := experiment{
		name: "digits", title: "Digits, labels by Dirichlet(0.5)", accuracy: true, seeds: 3,
		about: "Accuracy for digits that nobody learns from, of logistic regression. Ten clients, ten steps in each round.",
	}
	for _, name := range []string{"fedavg", "fedavgm", "fedadagrad", "fedadam", "fedyogi", "fedprox", "scaffold", "fednova", "feddyn"} {
		c := client.Client{Strategy: name, Mu: 0.1, Alpha: 0.1, Task: task.Config{Name: "digits", Clients: 10, Skew: 0.5}}
		e.rows = append(e.rows, row{name, setting{client: c}})
	}
	return e
}

// attacks compares all rules under one attack.
func attacks(attack string) experiment {
	title := map[string]string{"labels": "labels flipped", "sign": "signs flipped, four times as far", "little": "a little is enough (Baruch 2019)"}
	e := experiment{
		name: "attack-" + attack, title: "Attack: " + title[attack], accuracy: true, seeds: 1,
		about: "Accuracy for digits. Eleven clients whose data are nearly alike, two of them hostile; honest: the mean, and nobody is.",
	}
	c := client.Client{Task: task.Config{Name: "digits", Clients: 11, Skew: 10}}
	e.rows = append(e.rows, row{"honest", setting{client: c}})
	c.Attack, c.Hostile = attack, 2
	for _, rule := range server.Rules {
		e.rows = append(e.rows, row{rule, setting{client: c, rule: rule}})
	}
	return e
}

// delta is the δ for which ε is reported: less than one divided by the number of clients.
const delta = 1e-3

// privacy compares models that are trained with increasing noise.
func privacy() experiment {
	e := experiment{
		name: "privacy", title: "Noise for privacy", accuracy: true, seeds: 3,
		about: fmt.Sprintf("Accuracy for digits. A hundred clients; the mean of their changes gets so much Gaussian noise that %d rounds spend ε at δ = %g (McMahan 2018).", program.Rounds, delta),
	}
	c := client.Client{Task: task.Config{Name: "digits", Clients: 100, Skew: 10}}
	e.rows = append(e.rows, row{"no noise", setting{client: c, rule: "gaussian"}})
	for _, noise := range []float64{2, 5, 10, 20} {
		epsilon, err := accountant.PLD(delta, accountant.Mechanism{Noise: noise, Rounds: program.Rounds})
		if err != nil {
			panic("BUG: " + err.Error())
		}
		e.rows = append(e.rows, row{fmt.Sprintf("ε = %.2g", epsilon), setting{client: c, rule: "gaussian", noise: noise}})
	}
	return e
}
