fn _none() {}
