package drift

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Dyn is the client of FedDyn: D. A. E. Acar and others, "Federated Learning Based on
// Dynamic Regularization", 2021. It sends its model; the server has [DynServer].
type Dyn struct {
	Alpha float64 // of the regularization: the server's, too
	memory
}

// Open checks the configuration.
func (d *Dyn) Open(runtime.Env) error { return checkPositive("drift.Dyn: Alpha", d.Alpha) }

// Correct returns g - h + Alpha·(y-x) for the gradients g of a model y that began as x, where h is the gradient
// at the end of the client's last round. The result is valid until the next call.
func (d *Dyn) Correct(gradients, model, from tensor.Dense[float32]) (tensor.Dense[float32], error) {
	if err := d.begin(gradients.Shape); err != nil {
		return d.out, err
	}
	err := each(&d.out, func(i int) float64 {
		return float64(gradients.Data[i]) - float64(d.own.Data[i]) + d.Alpha*(float64(model.Data[i])-float64(from.Data[i]))
	}, gradients, model, from)
	return d.out, err
}

// Renew ends a round that has led from one model to another: h becomes h - Alpha·(y-x). It returns the model
// that the client sends.
func (d *Dyn) Renew(from, to tensor.Dense[float32]) (tensor.Dense[float32], error) {
	if err := d.begin(from.Shape); err != nil {
		return to, err
	}
	err := d.renew(func(i int) float64 {
		return float64(d.own.Data[i]) - d.Alpha*(float64(to.Data[i])-float64(from.Data[i]))
	}, d.own, from, to)
	return to, err
}

// DynServer is the server of FedDyn, in place of an optimizer of package fedopt.
type DynServer struct {
	Alpha   float64 // that of the clients
	Clients int     // the number of all clients, in whatever rounds they take part
	memory
}

// Open checks the configuration.
func (d *DynServer) Open(runtime.Env) error {
	if d.Clients < 1 {
		return fmt.Errorf("drift.DynServer: Clients is %d, want how many there are", d.Clients)
	}
	return checkPositive("drift.DynServer: Alpha", d.Alpha)
}

// Step returns the mean of the models of count clients, minus h/Alpha, for a round that began with a model x:
// first h becomes h - Alpha·count/Clients·(mean-x). The result is valid until the next call.
func (d *DynServer) Step(model, mean tensor.Dense[float32], count float32) (tensor.Dense[float32], error) {
	if err := d.begin(model.Shape); err != nil {
		return d.out, err
	}
	part := d.Alpha * float64(count) / float64(d.Clients)
	err := d.renew(func(i int) float64 {
		return float64(d.own.Data[i]) - part*(float64(mean.Data[i])-float64(model.Data[i]))
	}, d.own, model, mean)
	if err != nil {
		return d.out, err
	}
	err = each(&d.out, func(i int) float64 { return float64(mean.Data[i]) - float64(d.own.Data[i])/d.Alpha }, d.own, mean)
	return d.out, err
}
