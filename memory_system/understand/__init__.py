"""What a message means: whose words it holds, what the judge makes of each sentence, which slots are surely filled, and
what is kept word by word."""
