"""An agent of our own: it talks to a model, uses the tools, and makes room in the model's context when it fills."""
